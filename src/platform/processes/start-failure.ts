/**
 * A start that cannot continue, such as a port in use or a second server. Says what happened and
 * what to do; the command line prints both and exits with `exitCode`. Not for refused requests
 * (domain/errors.ts).
 */
export class StartFailure extends Error {
  readonly next: string
  readonly exitCode: number

  constructor(
    message: string,
    next: string,
    options: { readonly exitCode?: number; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'StartFailure'
    this.next = next
    this.exitCode = options.exitCode ?? 1
  }
}
