/** What coordinators say, on the other side of the wire. */
export { statusText } from '../domain/status-texts.ts'
