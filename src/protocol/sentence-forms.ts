/** What the server and its coordinators have said, for those that show it. */
export { type Spoken, saidIn, tellsExit } from '../domain/sentence-forms.ts'
