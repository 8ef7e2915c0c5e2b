/** Says a sentence of the list that every language has (sentence-list.ts). Pure. */
import { type Say, sayer } from './sentence-forms.ts'
import { sentences } from './sentence-list.ts'

export const statusText: Say<typeof sentences> = sayer(sentences)
