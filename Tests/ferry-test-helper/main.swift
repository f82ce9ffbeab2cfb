// A process for tests that must kill one, or take its disk away: downloads a URL to a file.
//
//     ferry-test-helper URL FILE [LIMIT]
//
// Writes the bytes so far after each write, one line each, and at the end `finished` or the kind of the error. With
// a limit no file of this process may grow beyond that many bytes, as on a full disk.
//
//     ferry-test-helper cache-writer DIRECTORY SEED
//
// Stores entries in a cache on disk until it is killed, and writes a line after each.

import Ferry
import Foundation

let arguments = CommandLine.arguments
if arguments.count == 4, arguments[1] == "cache-writer", let seed = UInt64(arguments[3]) {
    await CacheWriter.run(URL(filePath: arguments[2]), seed: seed)
    exit(2)
}
guard arguments.count >= 3, let url = URL(string: arguments[1]) else { exit(2) }
if arguments.count > 3, let limit = rlim_t(arguments[3]) {
    signal(SIGXFSZ, SIG_IGN)
    var value = rlimit(rlim_cur: limit, rlim_max: limit)
    #if canImport(Darwin)
        setrlimit(RLIMIT_FSIZE, &value)
    #else
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &value)
    #endif
}

func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

let client = NetworkClient(baseURL: nil)
let options = DownloadOptions(progressInterval: .zero)
do throws(NetworkError) {
    for try await event in client.download(NetworkCall(url: url), to: URL(filePath: arguments[2]), options: options) {
        switch event {
        case .progress(let progress): say("\(progress.completed)")
        case .finished: say("finished")
        }
    }
} catch {
    say(error.kind.rawValue)
}
