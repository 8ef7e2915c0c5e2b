/**
 * Tells why something is refused, as a notice of the list that every language has (refusal-sentences.ts). Pure. Never used by what
 * the page loads too: it loads the list with another language alone, and such places bring the English form themselves.
 */
import { type NoticeMaker, noticeMaker } from './notices.ts'
import { refusalSentences } from './refusal-sentences.ts'

export const refusalText: NoticeMaker<typeof refusalSentences> = noticeMaker(refusalSentences)
