/// What is known of media types and files: media type, file name extensions, uniform type identifier.
///
/// The facts are those of the IANA media type registry and the registrations it links to (RFC 6838), of the standards
/// that define a format (RFC 9239 for JavaScript, RFC 9512 for YAML, RFC 8081 for fonts, …), and of Apple's documented
/// uniform type identifiers. Unregistered types are those in common use.
///
/// Two rules give each direction one answer:
/// - a media type's preferred extension is the first of its row, and of its first row where it has several;
/// - an extension's media type is the first row that has it. Rows below "Other names" are therefore found by their media
///   type alone, unless an extension is nowhere else.
package enum MediaTypeTable {
    /// One row.
    struct Row: Sendable {
        let type: String
        let extensions: [String]
        let uti: String?
    }

    /// Rows by media type without parameters, in lower case.
    static let rowsByType = rows.reduce(into: [String: Row]()) { if $0[$1.type] == nil { $0[$1.type] = $1 } }

    /// Rows by extension in lower case.
    static let rowsByExtension = rows.reduce(into: [String: Row]()) { table, row in
        for name in row.extensions where table[name] == nil { table[name] = row }
    }

    /// Rows by uniform type identifier in lower case.
    static let rowsByUTI = rows.reduce(into: [String: Row]()) { table, row in
        if let uti = row.uti?.lowercased(), table[uti] == nil { table[uti] = row }
    }

    static let rows: [Row] = facts.split(separator: "\n").compactMap { line in
        let columns = line.split(separator: " ")
        guard columns.count == 3, columns[0] != "#" else { return nil }
        return Row(
            type: String(columns[0]), extensions: columns[1].split(separator: ",").map(String.init),
            uti: columns[2] == "-" ? nil : String(columns[2]))
    }

    // One text and no array of values: it compiles in no time and reads as the table it is. Three columns a row.
    private static let facts = """
        # Text
        text/plain                                     txt,text,log,conf,ini    public.plain-text
        text/html                                      html,htm,shtml           public.html
        text/css                                       css                      public.css
        text/javascript                                js,mjs,cjs               com.netscape.javascript-source
        text/markdown                                  md,markdown,mdown        net.daringfireball.markdown
        text/csv                                       csv                      public.comma-separated-values-text
        text/tab-separated-values                      tsv,tab                  public.tab-separated-values-text
        text/calendar                                  ics,ifb                  com.apple.ical.ics
        text/vcard                                     vcf,vcard                public.vcard
        text/rtf                                       rtf                      public.rtf
        text/richtext                                  rtx                      -
        text/x-component                               htc                      -
        text/x-c                                       c,h,cc,cpp,hpp           -
        text/x-python                                  py                       public.python-script
        text/x-swift                                   swift                    public.swift-source
        text/vtt                                       vtt                      org.w3.webvtt
        text/event-stream                              sse                      -
        text/vnd.wap.wml                               wml                      -
        text/vnd.sun.j2me.app-descriptor               jad                      -
        text/x-diff                                    diff,patch               public.patch-file

        # Data
        application/json                               json                     public.json
        application/x-ndjson                           ndjson,jsonl             -
        application/json5                              json5                    -
        application/json-seq                           json-seq                 -
        application/ld+json                            jsonld                   -
        application/geo+json                           geojson                  public.geojson
        application/manifest+json                      webmanifest              -
        application/schema+json                        jsonschema               -
        application/xml                                xml,xsd,xsl              public.xml
        application/xml-dtd                            dtd                      -
        application/xslt+xml                           xslt                     -
        application/xhtml+xml                          xhtml,xht                public.xhtml
        application/mathml+xml                         mml,mathml               -
        application/atom+xml                           atom                     -
        application/rss+xml                            rss                      -
        application/xspf+xml                           xspf                     -
        application/gpx+xml                            gpx                      com.topografix.gpx
        application/vnd.google-earth.kml+xml           kml                      com.google.earth.kml
        application/vnd.google-earth.kmz               kmz                      com.google.earth.kmz
        application/yaml                               yaml,yml                 public.yaml
        application/toml                               toml                     -
        application/graphql                            graphql,gql              -
        application/sql                                sql                      -
        application/cbor                               cbor                     -
        application/msgpack                            msgpack                  -
        application/protobuf                           pb                       -
        application/avro                               avro                     -
        application/vnd.apache.parquet                 parquet                  -
        application/vnd.apache.arrow.file              arrow,feather            -
        application/vnd.apache.arrow.stream            arrows                   -
        application/vnd.sqlite3                        sqlite,sqlite3,db        -
        application/x-plist                            plist                    com.apple.property-list
        application/octet-stream                       bin,img,msi,msp,msm,dat  public.data

        # Documents
        application/pdf                                pdf                      com.adobe.pdf
        application/postscript                         ps,eps,ai                com.adobe.postscript
        application/epub+zip                           epub                     org.idpf.epub-container
        application/vnd.amazon.ebook                   azw                      -
        application/x-mobipocket-ebook                 mobi                     -
        application/msword                             doc,dot                  com.microsoft.word.doc
        application/vnd.openxmlformats-officedocument.wordprocessingml.document docx org.openxmlformats.wordprocessingml.document
        application/vnd.openxmlformats-officedocument.wordprocessingml.template dotx org.openxmlformats.wordprocessingml.template
        application/vnd.ms-excel                       xls,xlt                  com.microsoft.excel.xls
        application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx org.openxmlformats.spreadsheetml.sheet
        application/vnd.openxmlformats-officedocument.spreadsheetml.template xltx org.openxmlformats.spreadsheetml.template
        application/vnd.ms-powerpoint                  ppt,pps,pot              com.microsoft.powerpoint.ppt
        application/vnd.openxmlformats-officedocument.presentationml.presentation pptx org.openxmlformats.presentationml.presentation
        application/vnd.openxmlformats-officedocument.presentationml.slideshow ppsx org.openxmlformats.presentationml.slideshow
        application/vnd.ms-fontobject                  eot                      -
        application/vnd.ms-outlook                     msg                      -
        application/vnd.oasis.opendocument.text        odt                      org.oasis-open.opendocument.text
        application/vnd.oasis.opendocument.spreadsheet ods                      org.oasis-open.opendocument.spreadsheet
        application/vnd.oasis.opendocument.presentation odp org.oasis-open.opendocument.presentation
        application/vnd.oasis.opendocument.graphics    odg                      org.oasis-open.opendocument.graphics
        application/vnd.apple.pages                    pages                    com.apple.iwork.pages.sffpages
        application/vnd.apple.numbers                  numbers                  com.apple.iwork.numbers.sffnumbers
        application/vnd.apple.keynote                  key                      com.apple.iwork.keynote.sffkey
        application/vnd.visio                          vsd                      -
        application/x-tex                              tex                      -
        application/vnd.wap.wmlc                       wmlc                     -
        message/rfc822                                 eml                      com.apple.mail.email

        # Images
        image/jpeg                                     jpg,jpeg,jpe,jfif        public.jpeg
        image/png                                      png                      public.png
        image/apng                                     apng                     -
        image/gif                                      gif                      com.compuserve.gif
        image/webp                                     webp                     org.webmproject.webp
        image/avif                                     avif                     public.avif
        image/heic                                     heic                     public.heic
        image/heif                                     heif                     public.heif
        image/jxl                                      jxl                      public.jpeg-xl
        image/jp2                                      jp2,jpg2                 public.jpeg-2000
        image/svg+xml                                  svg,svgz                 public.svg-image
        image/tiff                                     tiff,tif                 public.tiff
        image/bmp                                      bmp,dib                  com.microsoft.bmp
        image/vnd.microsoft.icon                       ico,cur                  com.microsoft.ico
        image/x-icns                                   icns                     com.apple.icns
        image/vnd.adobe.photoshop                      psd                      com.adobe.photoshop-image
        image/x-adobe-dng                              dng                      com.adobe.raw-image
        image/x-jng                                    jng                      -
        image/vnd.wap.wbmp                             wbmp                     -
        image/vnd.djvu                                 djvu,djv                 -

        # Sound
        audio/mpeg                                     mp3                      public.mp3
        audio/mp4                                      m4a                      public.mpeg-4-audio
        audio/aac                                      aac                      public.aac-audio
        audio/ogg                                      ogg,oga                  org.xiph.ogg-audio
        audio/opus                                     opus                     org.xiph.opus
        audio/flac                                     flac                     org.xiph.flac
        audio/wav                                      wav,wave                 com.microsoft.waveform-audio
        audio/webm                                     weba                     -
        audio/aiff                                     aiff,aif,aifc            public.aiff-audio
        audio/midi                                     mid,midi,kar             public.midi-audio
        audio/basic                                    au,snd                   public.au-audio
        audio/amr                                      amr                      org.3gpp.adaptive-multi-rate-audio
        audio/x-caf                                    caf                      com.apple.coreaudio-format
        audio/x-realaudio                              ra,ram                   com.real.realaudio
        audio/x-ms-wma                                 wma                      com.microsoft.windows-media-wma
        audio/mpegurl                                  m3u                      public.m3u-playlist

        # Film
        video/mp4                                      mp4,mp4v,mpg4            public.mpeg-4
        video/x-m4v                                    m4v                      com.apple.m4v-video
        video/quicktime                                mov,qt                   com.apple.quicktime-movie
        video/webm                                     webm                     org.webmproject.webm
        video/mpeg                                     mpeg,mpg,mpe             public.mpeg
        video/mp2t                                     ts,m2ts                  public.mpeg-2-transport-stream
        video/ogg                                      ogv                      org.xiph.ogg-video
        video/3gpp                                     3gp,3gpp                 public.3gpp
        video/3gpp2                                    3g2,3gpp2                public.3gpp2
        video/x-matroska                               mkv                      org.matroska.mkv
        video/x-msvideo                                avi                      public.avi
        video/x-ms-wmv                                 wmv                      com.microsoft.windows-media-wmv
        video/x-ms-asf                                 asf,asx                  com.microsoft.advanced-systems-format
        video/x-flv                                    flv                      com.adobe.flash.video
        video/x-mng                                    mng                      -
        video/iso.segment                              m4s                      -
        application/vnd.apple.mpegurl                  m3u8                     -
        application/dash+xml                           mpd                      -

        # Archives and programs
        application/zip                                zip                      public.zip-archive
        application/gzip                               gz,tgz                   org.gnu.gnu-zip-archive
        application/zstd                               zst                      -
        application/x-brotli                           br                       -
        application/x-bzip2                            bz2,tbz2                 public.bzip2-archive
        application/x-xz                               xz,txz                   org.tukaani.xz-archive
        application/x-lzma                             lzma                     -
        application/x-lz4                              lz4                      -
        application/x-tar                              tar                      public.tar-archive
        application/x-7z-compressed                    7z                       org.7-zip.7-zip-archive
        application/vnd.rar                            rar                      com.rarlab.rar-archive
        application/x-cpio                             cpio                     public.cpio-archive
        application/x-stuffit                          sit                      com.allume.stuffit-archive
        application/x-sea                              sea                      -
        application/mac-binhex40                       hqx                      com.apple.binhex-archive
        application/java-archive                       jar,war,ear              com.sun.java-archive
        application/java-vm                            class                    com.sun.java-class
        application/x-java-archive-diff                jardiff                  -
        application/x-java-jnlp-file                   jnlp                     com.sun.java-web-start
        application/vnd.android.package-archive        apk                      -
        application/vnd.debian.binary-package          deb,udeb                 -
        application/vnd.microsoft.portable-executable  exe,dll                  com.microsoft.windows-executable
        application/x-rpm                              rpm                      -
        application/x-apple-diskimage                  dmg                      com.apple.disk-image-udif
        application/x-iso9660-image                    iso                      public.iso-image
        application/x-xpinstall                        xpi                      -
        application/x-shockwave-flash                  swf                      com.adobe.shockwave-flash
        application/wasm                               wasm                     -
        application/x-sh                               sh,bash,zsh              public.shell-script
        application/x-perl                             pl,pm                    public.perl-script
        application/x-httpd-php                        php                      public.php-script
        application/x-ruby                             rb                       public.ruby-script
        application/x-tcl                              tcl,tk                   -
        application/x-makeself                         run                      -
        application/x-cocoa                            cco                      -
        application/x-pilot                            prc,pdb                  -
        application/x-bittorrent                       torrent                  org.bittorrent.torrent

        # Certificates and signatures
        application/x-x509-ca-cert                     crt,der,cer              public.x509-certificate
        application/x-pem-file                         pem                      -
        application/x-pkcs12                           p12,pfx                  com.rsa.pkcs-12
        application/pkcs7-mime                         p7m,p7c                  -
        application/pkcs7-signature                    p7s                      -
        application/pkcs8                              p8                       -
        application/pkcs10                             p10,csr                  -
        application/pgp-encrypted                      pgp                      -
        application/pgp-signature                      sig,asc                  -

        # Fonts and models
        font/woff2                                     woff2                    org.w3.woff2
        font/woff                                      woff                     org.w3.woff
        font/ttf                                       ttf                      public.truetype-ttf-font
        font/otf                                       otf                      public.opentype-font
        font/collection                                ttc,otc                  public.truetype-collection-font
        model/gltf-binary                              glb                      -
        model/gltf+json                                gltf                     -
        model/stl stl public.standard-tesselated-geometry-format
        model/vnd.usdz+zip usdz com.pixar.universal-scene-description-mobile

        # Other names
        application/javascript                         js                       com.netscape.javascript-source
        application/x-javascript                       js                       com.netscape.javascript-source
        application/ecmascript                         js                       com.netscape.javascript-source
        text/ecmascript                                js                       com.netscape.javascript-source
        text/json                                      json                     public.json
        text/xml                                       xml                      public.xml
        text/x-markdown                                md                       net.daringfireball.markdown
        text/yaml                                      yaml                     public.yaml
        text/x-yaml                                    yaml                     public.yaml
        application/x-yaml                             yaml                     public.yaml
        text/mathml                                    mml                      -
        text/x-vcard                                   vcf                      public.vcard
        text/comma-separated-values                    csv                      public.comma-separated-values-text
        application/csv                                csv                      public.comma-separated-values-text
        application/ndjson                             ndjson                   -
        application/jsonl                              jsonl                    -
        application/x-jsonlines                        jsonl                    -
        application/jsonlines                          jsonl                    -
        application/rtf                                rtf                      public.rtf
        application/x-pdf                              pdf                      com.adobe.pdf
        application/x-protobuf                         pb                       -
        application/x-msgpack                          msgpack                  -
        application/vnd.msgpack                        msgpack                  -
        application/x-sqlite3                          sqlite                   -
        application/x-parquet                          parquet                  -
        application/x-gzip                             gz                       org.gnu.gnu-zip-archive
        application/x-zip-compressed                   zip                      public.zip-archive
        application/x-bzip                             bz2                      public.bzip2-archive
        application/x-zstd                             zst                      -
        application/x-rar-compressed                   rar                      com.rarlab.rar-archive
        application/x-redhat-package-manager           rpm                      -
        application/x-debian-package                   deb                      -
        application/x-java-archive                     jar                      com.sun.java-archive
        application/x-pkcs7-signature                  p7s                      -
        application/x-mpegurl                          m3u8                     -
        application/pkix-cert                          cer                      public.x509-certificate
        application/ogg                                ogg                      -
        application/font-woff                          woff                     org.w3.woff
        application/font-woff2                         woff2                    org.w3.woff2
        application/x-font-ttf                         ttf                      public.truetype-ttf-font
        application/x-font-otf                         otf                      public.opentype-font
        font/sfnt                                      ttf                      public.truetype-ttf-font
        image/jpg                                      jpg                      public.jpeg
        image/pjpeg                                    jpg                      public.jpeg
        image/x-png                                    png                      public.png
        image/x-icon                                   ico                      com.microsoft.ico
        image/x-ms-bmp                                 bmp                      com.microsoft.bmp
        image/heic-sequence                            heic                     public.heic
        image/heif-sequence                            heif                     public.heif
        audio/mp3                                      mp3                      public.mp3
        audio/x-mp3                                    mp3                      public.mp3
        audio/x-m4a                                    m4a                      public.mpeg-4-audio
        audio/x-aac                                    aac                      public.aac-audio
        audio/x-flac                                   flac                     org.xiph.flac
        audio/x-wav                                    wav                      com.microsoft.waveform-audio
        audio/wave                                     wav                      com.microsoft.waveform-audio
        audio/vnd.wave                                 wav                      com.microsoft.waveform-audio
        audio/x-aiff                                   aiff                     public.aiff-audio
        audio/x-midi                                   mid                      public.midi-audio
        audio/x-mpegurl                                m3u                      public.m3u-playlist
        audio/3gpp                                     3gp                      public.3gpp
        video/avi                                      avi                      public.avi
        video/vnd.avi                                  avi                      public.avi
        video/matroska                                 mkv                      org.matroska.mkv
        """
}
