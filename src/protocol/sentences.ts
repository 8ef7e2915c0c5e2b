/** What coordinators say, on the other side of the wire. */
export { say } from '../domain/sentences.ts'
