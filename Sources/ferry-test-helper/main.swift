// Runs in a process of its own what tests kill: the first argument names it.

let arguments = CommandLine.arguments.dropFirst()
switch arguments.first {
case "cache-writer": await CacheWriter.run(Array(arguments.dropFirst()))
default: print("usage: ferry-test-helper cache-writer DIRECTORY SEED")
}
