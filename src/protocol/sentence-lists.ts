/** All that the server and its coordinators say, for a page that says it in another language. Takes nothing but the lists. */
export { type RefusalSentences, refusalSentences } from '../domain/refusal-sentences.ts'
export { type Sentences, sentences } from '../domain/sentence-list.ts'
