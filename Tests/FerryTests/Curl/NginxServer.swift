#if os(Linux)
    import Foundation
    import XCTest

    /// nginx with TLS on Unix domain sockets, under an authority made for one test. `FERRY_NGINX` names the program;
    /// `.ci/run` sets it.
    ///
    /// | socket | what it shows |
    /// |---|---|
    /// | `good` | a certificate for `pin.example.test` and `*.example.test` |
    /// | `backup` | the same names, another key |
    /// | `expired` | the same names, yesterday |
    /// | `mutual` | as `good`, and asks for a client certificate |
    /// | `old` | as `good`, TLS 1.2 at most |
    final class NginxServer {
        let directory: URL
        private let program: String

        init(in directory: URL) throws {
            guard let program = ProcessInfo.processInfo.environment["FERRY_NGINX"] else {
                throw XCTSkip("FERRY_NGINX names no nginx: TLS over a real server is not tested here")
            }
            self.directory = directory
            self.program = program
            try Data(Self.script.utf8).write(to: directory.appending(path: "make.sh"))
            try run("/bin/sh", ["make.sh"])
            try Data(configuration.utf8).write(to: directory.appending(path: "nginx.conf"))
            // Returns once the sockets are open: nginx goes on in the background.
            // Without what it inherited: Foundation takes a process for running as long as a descriptor of it is open.
            let closing = "for fd in /proc/$$/fd/*; do fd=${fd##*/}; [ $fd -le 2 ] || eval \"exec $fd>&-\"; done"
            try run("/bin/bash", ["-c", "\(closing); exec \"$0\" -p \"$PWD\" -c nginx.conf -e error.log", program])
        }

        func stop() { try? run(program, ["-p", directory.path, "-c", "nginx.conf", "-e", "error.log", "-s", "quit"]) }

        func file(_ name: String) -> URL { directory.appending(path: name) }

        func socket(_ name: String) -> String { file("\(name).sock").path }

        private func run(_ program: String, _ arguments: [String]) throws {
            let process = Process()
            process.executableURL = URL(filePath: program)
            process.arguments = arguments
            process.currentDirectoryURL = directory
            process.standardInput = FileHandle.nullDevice
            // Files, not pipes: a pipe that the background process keeps open would never end.
            let log = directory.appending(path: "run.log")
            if !FileManager.default.fileExists(atPath: log.path) { try Data().write(to: log) }
            let output = try FileHandle(forWritingTo: log)
            process.standardOutput = output
            process.standardError = output
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                let words = (try? String(contentsOf: log, encoding: .utf8)) ?? ""
                throw NSError(domain: "\(program) \(arguments): \(words)", code: Int(process.terminationStatus))
            }
        }

        private static let script = """
            set -e
            authority() {
                openssl ecparam -name prime256v1 -genkey -noout -out $1.key
                openssl req -x509 -new -key $1.key -subj "/CN=$1" -days 30 -out $1.pem
            }
            leaf() { # name, days
                openssl ecparam -name prime256v1 -genkey -noout -out $1.key
                openssl req -new -key $1.key -subj "/CN=$1" -out $1.csr
                printf "subjectAltName=DNS:pin.example.test,DNS:*.example.test" > $1.ext
                openssl x509 -req -in $1.csr -CA authority.pem -CAkey authority.key -CAcreateserial -extfile $1.ext \\
                    -days $2 -out $1.pem
            }
            authority authority
            authority stranger
            leaf good 30
            leaf backup 30
            leaf client 30
            leaf expired -1
            """

        private var configuration: String {
            func server(_ name: String, certificate: String, _ more: String = "") -> String {
                """
                server {
                    listen unix:\(socket(name)) ssl http2;
                    ssl_certificate \(file(certificate + ".pem").path);
                    ssl_certificate_key \(file(certificate + ".key").path);
                    \(more)
                    location / { return 200 "$server_protocol $connection $ssl_client_s_dn"; }
                }
                """
            }
            let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \($0);" }
            let user = getuid() == 0 ? "user root;" : ""
            return """
                \(user) pid nginx.pid; worker_processes 1; events {}
                http {
                    access_log off; \(paths.joined(separator: " "))
                    \(server("good", certificate: "good"))
                    \(server("backup", certificate: "backup"))
                    \(server("expired", certificate: "expired"))
                    \(server("mutual", certificate: "good",
                        "ssl_verify_client on; ssl_client_certificate \(file("authority.pem").path);"))
                    \(server("old", certificate: "good", "ssl_protocols TLSv1.2;"))
                }
                """
        }
    }
#endif
