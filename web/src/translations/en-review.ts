/** The words of reviews in English: comments on lines, what was viewed. */
const many = (count: number, one: string, more: string): string =>
  `${count} ${count === 1 ? one : more}`

export const review = {
  comment: (number: number) => `Comment ${number}`,
  commentOn: (line: number) => `Comment on line ${line}`,
  states: {
    draft: 'draft',
    sent: 'sent',
    answered: 'answered',
    resolved: 'resolved',
    withdrawn: 'withdrawn',
  },
  outdated: 'outdated',
  outdatedComments: 'Comments whose lines have changed',
  resolvedBy: (who: string) => `by ${who}`,
  write: 'Comment',
  addDraft: 'Add draft',
  discard: 'Delete draft',
  resolve: 'Resolve',
  reopen: 'Reopen',
  answer: 'Answer',
  send: (count: number) => `Send ${many(count, 'comment', 'comments')}`,
  sent: (count: number) => `${many(count, 'comment is', 'comments are')} sent to the agent.`,
  draftsAreYours: 'Only you see drafts. They become one prompt.',
  viewed: (file: string) => `Viewed: ${file}`,
  letResolve: 'Let the agent resolve it',
  resolving: 'The agent resolves the conflict. Review what it makes of it, then merge again.',
}
