/**
 * Says why something is refused, in a sentence of the list that every language has (refusal-sentences.ts). Pure. Never
 * used by what the page loads too: it loads the list with another language alone, and such places say the sentence themselves.
 */
import { refusalSentences } from './refusal-sentences.ts'
import { type Say, sayer } from './sentence-forms.ts'

export const refusalText: Say<typeof refusalSentences> = sayer(refusalSentences)
