/** Where a program that embeds conversations keeps them. */
export type ConversationsOptions = {
  /** Who is said to have sent what is added; `library` when left out. */
  readonly by?: string
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
