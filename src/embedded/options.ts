/** Where a program that embeds conversations keeps them. */
export type ConversationsOptions = {
  /** Who is said to have sent what is added; `library` when left out. */
  readonly by?: string
  /** When a new day begins (DC1), as a server's `cutover.hour` and `cutover.timezone`: what the store knows when left out, at first 4 in Asia/Tokyo. */
  readonly cutover?: {
    /** 0 to 23; off: days are not closed. */
    readonly hour?: number | 'off'
    /** An IANA name, or `local`: that of this machine. */
    readonly timezone?: string
  }
} & (
  | {
      /** A folder for this program alone; made if it is not there. A server on the same folder is refused, and so is a second program. */
      readonly data: string
      readonly databaseUrl?: undefined
    }
  | {
      /** postgres://…, which servers and other programs may share. */
      readonly databaseUrl: string
      readonly data?: undefined
    }
)
