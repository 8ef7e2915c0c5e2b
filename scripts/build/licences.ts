/**
 * The licence of every package whose code is inside a bundle: those who use the bundle must be
 * given them.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
}

const intro = `# Third-party licences

The programs in this package contain code of the packages below, each under its own licence.
`

/** `modules` are paths; those outside of node_modules are our own. */
export function licencesOf(modules: readonly string[]): string {
  const folders = new Set(modules.flatMap((path) => packageFolder(path) ?? []))
  const sections = [...folders].map((folder) => {
    const {
      name,
      version,
      license = 'no licence named',
    } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
    const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry))
    const text =
      file === undefined ? '' : `\n\n~~~\n${readFileSync(join(folder, file), 'utf8').trim()}\n~~~`
    return `\n## ${name} ${version}\n\n${license}${text}\n`
  })
  return intro + sections.sort().join('')
}

function packageFolder(path: string): string | undefined {
  return /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/.exec(path)?.[0]
}
