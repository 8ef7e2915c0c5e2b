/** What the server and its coordinators say, for those that say it in another language, and for those on the other side of the wire. */
export { type Sentences, saidIn, say, tellsExit } from '../domain/sentences.ts'
