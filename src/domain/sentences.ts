/** Tells of an agent, a process or a turn, as a notice of the list that every language has (sentence-list.ts). Pure. */
import { type NoticeMaker, noticeMaker } from './notices.ts'
import { sentences } from './sentence-list.ts'

export const statusNotice: NoticeMaker<typeof sentences> = noticeMaker(sentences)

/** The English words alone: for fields that carry no notice yet. */
export const statusText: NoticeMaker<typeof sentences, string> = (code, ...params) => statusNotice(code, ...params).text
