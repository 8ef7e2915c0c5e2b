/** The exact git command that gets the work out (WT6), for a person who rather types it in their own checkout. Pure. */
export const commandFor = (branch: string, target: string, how: 'merge' | 'rebase'): string =>
  how === 'merge'
    ? `git switch ${quoted(target)} && git merge ${quoted(branch)}`
    : `git switch ${quoted(target)} && git cherry-pick ${quoted(`${target}..${branch}`)}`

const quoted = (word: string): string => (/^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)
