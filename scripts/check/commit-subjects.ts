/**
 * Checks the subjects of new commits: those since the last tag, at most the last 50. A tree without
 * git, or a shallow one, has fewer or none.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const MAX_LENGTH = 72
const MAX_COMMITS = 50

/** What is wrong with a commit's subject, in sentences. */
export function subjectProblems(subject: string): string[] {
  const problems: string[] = []
  if (subject.length > MAX_LENGTH)
    problems.push(`has ${subject.length} characters; at most ${MAX_LENGTH}`)
  if (/^(fixup|squash|amend)!|^wip\b/i.test(subject))
    problems.push('is unfinished; squash it into the commit it belongs to')
  if (/[.!…]$/.test(subject)) problems.push('ends with a mark; leave it out')
  if (!/^\p{L}[^\s]* ?.*\s\S/u.test(subject))
    problems.push('says too little; say in a few words what the commit does')
  return problems.map((problem) => `"${subject}" ${problem}`)
}

/** The subjects of new commits in a folder; empty where there is no git or no commit. */
export function newSubjects(folder: string): string[] {
  const git = (...args: string[]): string | undefined => {
    try {
      return execFileSync('git', args, {
        cwd: folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim()
    } catch {
      return undefined
    }
  }
  const tag = git('describe', '--tags', '--abbrev=0')
  const listed = git(
    'log',
    '--no-merges',
    `--max-count=${MAX_COMMITS}`,
    '--format=%s',
    ...(tag ? [`${tag}..HEAD`] : []),
  )
  return (listed ?? '').split('\n').filter((subject) => subject !== '')
}

if (import.meta.main) {
  const problems = newSubjects(join(import.meta.dirname, '..', '..')).flatMap(subjectProblems)
  for (const problem of problems) console.log(problem)
  if (problems.length > 0) process.exitCode = 1
}
