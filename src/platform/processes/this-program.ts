/** Command line of this program, from source or bundled, on the same Node. */
export const thisProgram = (): [file: string, entry: string] => [
  process.execPath,
  process.argv[1] ?? '',
]
