/** AP13: questions of agents are approvals with a question and its answer. */
import type { Migration } from './migration.ts'

export const questions: Migration = {
  version: 32,
  name: 'questions',
  statements: ({ text }) => ['question', 'answer'].map((column) => `alter table human_approvals add column ${column} ${text}`),
}
