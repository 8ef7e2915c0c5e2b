/**
 * Makes notices about an agent, a process or a turn from the list that every language has
 * (status-text-list.ts). Pure.
 */
import { type NoticeMaker, noticeMaker } from './notices.ts'
import { sentences } from './status-text-list.ts'

export const statusNotice: NoticeMaker<typeof sentences> = noticeMaker(sentences)
