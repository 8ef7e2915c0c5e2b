/**
 * One run of vitest, its lines passed on whole, and what came of it: read from its report, never
 * from what it prints.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

export interface FailedTest {
  /** Below the repository; empty for what went wrong outside of any file. */
  readonly file: string
  readonly title: string
  readonly why: string
}

export interface TestOutcome {
  readonly passed: number
  readonly skipped: number
  readonly failed: readonly FailedTest[]
}

interface TestReport {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly message?: string
    readonly assertionResults: readonly {
      readonly status: string
      readonly fullName: string
      readonly failureMessages?: readonly string[] | null
    }[]
  }[]
}

/** Behind a pipe it cannot tell by itself. */
const colour = process.stdout.isTTY ? ['--color'] : []
/** Lines shown of the reason of one failure; all of it was printed above. */
const maxLinesOfWhy = 12

/** Added to our own. */
export type Environment = Readonly<Record<string, string>>

export interface HowToRun {
  /** Says nothing; failures are in the outcome. */
  readonly quiet?: boolean
  /** Ends it then. */
  readonly withinMs?: number
}

/** Undefined when it was ended before it came to its end. */
export async function runTestsWithin(
  root: string,
  args: readonly string[],
  more: Environment,
  how: HowToRun,
): Promise<TestOutcome | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-report-'))
  const reportFile = join(folder, 'report.json')
  try {
    const reporters = how.quiet ? ['--reporter=json'] : ['--reporter=default', '--reporter=json']
    const options = ['run', ...reporters, `--outputFile.json=${reportFile}`, ...args]
    const code = await vitest(root, options, more, how)
    if (code === 'ended') return undefined
    const outcome = outcomeOf(root, JSON.parse(readFileSync(reportFile, 'utf8')) as TestReport)
    // Something outside of a test went wrong (an unhandled error, say): never a pass.
    return code !== 0 && outcome.failed.length === 0
      ? { ...outcome, failed: [outside(args, `vitest ended with ${code}`)] }
      : outcome
  } catch (error) {
    return { passed: 0, skipped: 0, failed: [outside(args, `no report: ${String(error)}`)] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const runTests = async (
  root: string,
  args: readonly string[],
  more: Environment,
): Promise<TestOutcome> => {
  const outcome = await runTestsWithin(root, args, more, {})
  return outcome ?? { passed: 0, skipped: 0, failed: [outside(args, 'ended before its end')] }
}

const outside = (args: readonly string[], why: string): FailedTest => ({
  file: '',
  title: args.join(' '),
  why,
})

function outcomeOf(root: string, { testResults }: TestReport): TestOutcome {
  const failed: FailedTest[] = []
  let passed = 0
  let skipped = 0
  for (const { name, status: ofFile, message = '', assertionResults } of testResults) {
    const file = relative(root, name)
    const before = failed.length
    for (const { status, fullName, failureMessages } of assertionResults) {
      if (status === 'passed') passed++
      else if (status === 'failed')
        failed.push({ file, title: fullName, why: firstLines(failureMessages?.join('\n') ?? '') })
      else skipped++
    }
    if (ofFile === 'failed' && failed.length === before)
      failed.push({ file, title: 'the file itself', why: firstLines(message) })
  }
  return { passed, skipped, failed }
}

/** Without the calls inside the test runner, which say nothing. */
function firstLines(text: string): string {
  const lines = text
    .split('\n')
    .filter((line) => !/^\s+at .*node_modules|^\s+at new Promise/.test(line))
  return lines.slice(0, maxLinesOfWhy).join('\n')
}

/** After it was asked to end. */
const graceMs = 15_000
/** The longest that a timer can wait. */
const longestMs = 2 ** 31 - 1

function vitest(
  root: string,
  args: readonly string[],
  more: Environment,
  how: HowToRun,
): Promise<number | 'ended'> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      process.execPath,
      [join(root, 'node_modules/vitest/vitest.mjs'), ...args, ...colour],
      {
        cwd: root,
        env: {
          ...process.env,
          ...more,
          // Hundreds of stores are opened, each with a thread that loads the same sources: with
          // them compiled, in half the time.
          NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled'),
          // Both rooms share one PostgreSQL, which lives as long as this process.
          TEST_RUN_PID: String(process.pid),
        },
        stdio: ['inherit', 'pipe', 'pipe'],
      },
    )
    // Through a pipe: two of them must not redraw one terminal. Whole lines, so that they do not
    // mix within one.
    child.stdout.on('data', how.quiet ? () => {} : wholeLines(process.stdout))
    child.stderr.on('data', how.quiet ? () => {} : wholeLines(process.stderr))
    let ended = false
    const atTheEnd = setTimeout(
      () => {
        ended = true
        child.kill('SIGINT')
        setTimeout(() => child.kill('SIGKILL'), graceMs).unref()
      },
      Math.min(how.withinMs ?? longestMs, longestMs),
    ).unref()
    child.on('error', reject)
    child.on('close', (code) => {
      clearTimeout(atTheEnd)
      resolve(ended ? 'ended' : (code ?? 1))
    })
  })
}

function wholeLines(to: NodeJS.WriteStream): (chunk: Buffer) => void {
  const decoder = new TextDecoder()
  let rest = ''
  return (chunk) => {
    rest += decoder.decode(chunk, { stream: true })
    const end = rest.lastIndexOf('\n') + 1
    to.write(rest.slice(0, end))
    rest = rest.slice(end)
  }
}
