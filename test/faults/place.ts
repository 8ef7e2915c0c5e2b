/** Where a store lies, in the words that a test and the processes it starts have in common. */
import { join } from 'node:path'

/** A folder with an SQLite file, or a PostgreSQL. */
export type Place = { readonly folder: string } | { readonly url: string }

export const databaseIn = (folder: string): string => join(folder, 'holdfast.db')
