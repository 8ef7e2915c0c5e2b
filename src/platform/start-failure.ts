/**
 * A start that cannot go on: a port in use, a folder that cannot be written, a second server. It says what happened and what
 * to do next; the command line prints both and ends with `exitCode`. Never for refused requests (domain/errors.ts).
 */
export class StartFailure extends Error {
  readonly next: string
  readonly exitCode: number

  constructor(message: string, next: string, options: { readonly exitCode?: number; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'StartFailure'
    this.next = next
    this.exitCode = options.exitCode ?? 1
  }
}
