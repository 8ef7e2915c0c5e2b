/**
 * The lists of notices, for a page in another language: their codes, and the English forms by which
 * old rows are recognised.
 */
export type { RefusalSentences } from '../domain/refusal-texts.ts'
export { earlierSentences, type Sentences } from '../domain/status-text-list.ts'
