/** The rows of the search index (DC5): made from the messages, by whoever follows them, and never the only place of anything. */
export interface SearchDocumentsTable {
  /** Its time in milliseconds, and a number within that millisecond: newest first is the order of the ids. */
  id: number
  conversation_key: string
  seq: number
}

/** Each engine's own index; what it is told and asked goes through its dialect. */
export interface SearchTermsTable {
  rowid: number
  terms: string
}

/** How far into a conversation's stream its messages are indexed. */
export interface SearchPositionsTable {
  conversation_key: string
  through: number
}

export interface SearchTables {
  search_documents: SearchDocumentsTable
  search_terms: SearchTermsTable
  search_positions: SearchPositionsTable
}
