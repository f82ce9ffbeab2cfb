/// Domains under which unrelated parties have their names (RFC 6265 §5.3, step 5).
///
/// Foundation has no list of them on Linux, and the real one (publicsuffix.org) has some ten thousand rows that change
/// weekly. Refused here: every single label (`com`, `localhost`), the usual second levels of country domains
/// (`co.uk`, `com.au`, `or.jp`), and some well-known hosting domains. **Not** covered: city and region domains
/// (`kawasaki.jp`, `k12.ca.us`), rare second levels, and most hosting domains. A jar takes another test in place of it.
enum PublicSuffixes {
    private static let secondLevels: Set<Substring> = [
        "ac", "co", "com", "ed", "edu", "gob", "gouv", "gov", "gv", "go", "ltd", "mil", "ne", "net", "nhs", "nom", "or",
        "org", "plc", "police", "sch",
    ]

    private static let hosting: Set<String> = [
        "appspot.com", "azurewebsites.net", "blogspot.com", "cloudfront.net", "firebaseapp.com", "fly.dev",
        "github.io", "gitlab.io", "herokuapp.com", "me.uk", "netlify.app", "onrender.com", "pages.dev",
        "s3.amazonaws.com", "vercel.app", "web.app", "workers.dev",
    ]

    /// Whether a domain in lower case is known to be a public suffix.
    static func contains(_ domain: String) -> Bool {
        let labels = domain.split(separator: ".")
        guard labels.count > 1 else { return true }
        if hosting.contains(domain) { return true }
        return labels.count == 2 && labels[1].utf8.count == 2 && secondLevels.contains(labels[0])
    }
}
