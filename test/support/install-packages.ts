/** Installs what tests need of Debian's packages, where they may (root, apt-get). */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Answers why they are still missing, if so. */
export async function installPackages(
  purpose: string,
  packages: readonly string[],
): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return `install ${packages.join(' ')}; only root is helped to it`
  process.stderr.write(`Installing ${packages.join(' ')} for ${purpose} (apt-get)\n`)
  const install = [
    'apt-get',
    'install',
    '-y',
    '--no-install-recommends',
    '-o',
    'DPkg::Lock::Timeout=300',
    ...packages,
  ].join(' ')
  try {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    await run('sh', ['-c', `${install} || { apt-get update && ${install}; }`], { env })
    return undefined
  } catch (error) {
    return `apt-get failed: ${String(error)}`
  }
}
