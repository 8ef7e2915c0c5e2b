/** What the server and its coordinators say is English as it comes. */
export { sentences } from '../../../src/protocol/sentences.ts'
