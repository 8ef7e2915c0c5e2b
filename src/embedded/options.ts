/** Where an embedding program keeps its conversations. */
export type ConversationsOptions = {
  /** The sender of added messages; `library` when left out. */
  readonly by?: string
  /**
   * When a new day begins (DC1), as a server's `cutover.hour` and `cutover.timezone`: what the
   * store knows when left out, at first 4 in Asia/Tokyo.
   */
  readonly cutover?: {
    /** 0 to 23; off: days are not closed. */
    readonly hour?: number | 'off'
    /** An IANA name, or `local`: that of this machine. */
    readonly timezone?: string
  }
} & (
  | {
      /**
       * A folder for this program alone, created if missing. A server or a second program on it is
       * refused.
       */
      readonly data: string
      readonly databaseUrl?: undefined
    }
  | {
      /** postgres://…, which may be shared with servers and other programs. */
      readonly databaseUrl: string
      readonly data?: undefined
    }
)
