/** This very program, as it can be started again: from source or bundled, on the same Node. */
export const thisProgram = (): [file: string, entry: string] => [process.execPath, process.argv[1] ?? '']
