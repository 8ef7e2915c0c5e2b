/** The words of Review in English: comments on lines, what was viewed, how work lands. */
import type { LandingBlock, LandingWay } from '../../../src/protocol/review/landing-requests.ts'

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
  views: {
    all: 'All changes',
    uncommitted: 'Not committed',
    since: 'Since my last review',
  },
  byPrompt: 'By prompt',
  nothingIn: 'Nothing here has changed.',
  filterFiles: 'Filter files',
  viewedOf: (seen: number, all: number) => `${seen} of ${all} viewed`,
  commentsOn: (count: number) => many(count, 'open comment', 'open comments'),
  fileBefore: 'Previous file',
  fileAfter: 'Next file',
  viewed: (file: string) => `Viewed: ${file}`,
  landing: {
    title: 'Land',
    uncommitted: (count: number) => `${many(count, 'file', 'files')} not committed`,
    message: 'Commit message',
    into: 'Into branch',
    ways: 'How it lands',
    more: 'Other ways to land',
    otherBranch: 'Into another branch…',
    commitOnly: (count: number) => `Commit ${many(count, 'file', 'files')}`,
    /** What a button does, all of it. */
    does: (how: LandingWay, files: number, into: string) => {
      const ends: Record<LandingWay, string> = {
        merge: `merge into ${into}`,
        squash: `squash into ${into}`,
        rebase: `rebase and merge into ${into}`,
        push: 'push',
        'pull-request': 'open a pull request',
      }
      const end = ends[how]
      return files > 0
        ? `Commit ${many(files, 'file', 'files')} and ${end}`
        : end.charAt(0).toUpperCase() + end.slice(1)
    },
    steps: 'What happens',
    step: {
      commit: (files: number, subject: string, who: string) =>
        `Commit ${many(files, 'file', 'files')} as ${who}: “${subject}”`,
      check: (command: string) => `Run ${command}. If it fails, nothing lands.`,
      'fast-forward': (branch: string) => `Move ${branch} forward to it`,
      merge: (branch: string) => `Merge into ${branch}`,
      rebase: (branch: string) => `Put its commits on top of ${branch}`,
      squash: (branch: string) => `Make one commit of it on ${branch}`,
      checkout: (folder: string) => `The files in ${folder} follow.`,
      push: (branch: string, address: string) => `Push to ${branch} at ${address}`,
      pullRequest: (title: string, where: string) => `Open “${title}” in ${where}`,
    },
    notes: {
      hooks_not_run: (what: string) => `Hooks are not run: ${what}`,
      over_https: (what: string) => `Pushed over https, with the token for ${what}`,
      ssh_of_machine: (what: string) => `Pushed with the ssh of the machine, to ${what}`,
      left_out: (what: string) => `Left out: ${what}`,
    } as Record<string, (what: string) => string>,
    byHand: 'By hand',
    command: 'the git command',
    moved: 'It has changed since you looked. This is the present plan; press again.',
    nothing: (branch: string) => `${branch} has everything already.`,
    /** What stands in the way, and what helps. */
    blocks: {
      agent_works: () => 'The agent is at work. It can land when the agent has finished.',
      branch_of_another: (what: string) =>
        `${what || 'The branch'} is not there, or belongs to somebody else.`,
      needs_filter: (what: string) =>
        `${what} needs a filter of git that only its own git runs. Ask the agent to commit it.`,
      base_in_use: (what: string) =>
        `The branch is checked out with changes of its own${what && `: ${what}`}. ` +
        'Commit them there or put them aside.',
      branch_protected: (what: string) => `Nothing lands in ${what} directly. Open a pull request.`,
      markers_left: () =>
        'Conflict markers are left in the changes. Ask the agent to resolve them.',
      merge_conflict: () => '',
      nothing_to_land: () => '',
      remote_changed: (what: string) => `The repository names another address than before: ${what}`,
      remote_moved: (what: string) => `Others have pushed to the branch${what && ` (${what})`}.`,
      lfs_push: () => 'Its large files have to be uploaded with git-lfs.',
      no_token: (what: string) =>
        `There is no token for ${what}. Set one: holdfast hosts add ${what}`,
      no_remote: (what: string) =>
        what ? `${what} cannot be pushed to from here.` : 'The repository has no remote.',
    } as Record<LandingBlock, (what: string) => string>,
    conflict: (branch: string, count: number) =>
      `${branch} has changed the same places in ${many(count, 'file', 'files')}. ` +
      'Nothing was touched.',
    conflicts: 'Conflicts',
    ours: 'This session',
    gone: 'deleted',
    lastChange: (subject: string, author: string) => `“${subject}” by ${author}`,
    resolve: (agent: string) => `Let ${agent} resolve it`,
    pullRequestInstead: 'Pull request instead',
    resolving: (agent: string) =>
      `${agent} resolves the conflict. Look at the result, then land it.`,
    confirmAddress: 'Push to the new address',
    outcomes: 'What landed',
    outcome: {
      committed: (files: number, subject: string) =>
        `${many(files, 'file', 'files')} committed: “${subject}”`,
      checked: 'Check passed',
      moved: (branch: string) => `${branch} has it`,
      pushed: (branch: string) => `Pushed to ${branch}`,
      pullRequest: (number: number) => `Pull request #${number}`,
      running: 'Landing…',
      undoing: 'Undoing…',
      failed: (why: string) => `Not landed: ${why}`,
      undone: (branch: string) => `Undone: ${branch} is where it was`,
      output: 'Show output',
    },
    undo: 'Undo',
    earlier: (count: number) => `${count} earlier`,
  },
}
