/**
 * Who commits say they are by (LD3): who pressed the button. The owner's name and address are those
 * of their own git on this machine. Nothing of it can begin another line of a commit.
 */
import type { Signature } from '../../protocol/review/landing-requests.ts'
import type { Settings } from '../worktrees/git-settings.ts'

export interface Identity {
  /** `Ada <ada@example.com>` */
  readonly author: string
  /** What `git commit-tree` takes it from. */
  readonly env: Readonly<Record<string, string>>
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const clean = (text: string): string => text.replaceAll(/[<>\u0000-\u001f\u007f]/g, '').trim()

export function identityOf(signature: Signature, own: Settings): Identity {
  const ofGit = signature.ofOwner ? [own.get('user.name'), own.get('user.email')] : []
  const name = clean(ofGit[0] ?? '') || clean(signature.name) || 'somebody'
  const email = clean(ofGit[1] ?? '') || clean(signature.email)
  const date = signature.date
  return {
    author: `${name} <${email}>`,
    env: {
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
      GIT_COMMITTER_DATE: date,
    },
  }
}
