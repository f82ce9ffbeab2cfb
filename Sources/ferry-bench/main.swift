// ferry-bench: measures Ferry against what one would write without it, side by side in one run, as ratios.
// It may name Ferry, FerryTesting (for the server alone) and Foundation.

import Foundation

do {
    switch try Arguments.parse(Array(CommandLine.arguments.dropFirst())) {
    case .help:
        print(Arguments.usage)
    case .serve:
        try await BenchServer.run()
    #if os(Linux)
        case .curlChild(let words):
            try await CurlWorks.runChild(words)
    #endif
    case .stream(let plan):
        try await StreamWorks.runChild(plan)
    case .upload(let plan):
        try await UploadWorks.runChild(plan)
    case .download(let plan):
        try await DownloadWorks.runChild(plan)
    case .calls(let plan):
        try await LoadWorks.runChild(plan)
    case .growth(let arguments):
        try await Growth(arguments).run()
    case .counts(let file, let isUpdate):
        try await Counts.run(file: URL(filePath: file), isUpdate: isUpdate)
    case .measure(let arguments):
        try await Bench(arguments).run()
    }
} catch let error as Arguments.Wrong {
    // EX_USAGE of sysexits.h.
    Standard.error("ferry-bench: \(error.message)\n\n\(Arguments.usage)")
    exit(64)
} catch {
    Standard.error("ferry-bench: \(error)")
    exit(1)
}
