/** Makes notices about an agent, a process or a turn from the list that every language has (status-text-list.ts). Pure. */
import { type NoticeMaker, noticeMaker } from './notices.ts'
import { sentences } from './status-text-list.ts'

export const statusNotice: NoticeMaker<typeof sentences> = noticeMaker(sentences)

/** The English words alone: for fields that carry no notice yet. */
export const statusText: NoticeMaker<typeof sentences, string> = (code, ...params) => statusNotice(code, ...params).text
