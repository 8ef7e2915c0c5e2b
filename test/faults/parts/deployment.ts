/**
 * OP4: the files of `deploy` with the real programs that read them. Without nginx or systemd it has
 * failed, since nothing was tried.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { behindNginx } from '../behind-nginx.ts'
import { productFolder } from '../build.ts'
import { newTally } from '../oracle.ts'
import { addTallies, type Part, timed } from './part.ts'

/** As `systemd-analyze security` counts, of 10. */
const mostExposed = 6

export const deployment: Part = async ({ seed }) => [
  await timed(async () => {
    const tally = addTallies(
      await behindNginx({ withPort: true }),
      await behindNginx({ withPort: false }),
    )
    const broken = async (words: string, instead: string) =>
      (await behindNginx({ withPort: true, change: (file) => file.replace(words, instead) })).torn >
      0
    const controls = [
      { name: 'the Host without its port', caught: await broken('$http_host', '$host') },
      {
        name: 'upgrades not passed on',
        caught: await broken('Upgrade $http_upgrade', "Upgrade ''"),
      },
    ]
    return {
      rule: 'OP4',
      test: 'nginx in front, with its file',
      points: '2 addresses, 4 ways each',
      seed,
      tally,
      controls,
    }
  }),
  await timed(async () => {
    const units = ['holdfast-server', 'holdfast', 'holdfast-coordinator']
    const exposure = units.map((unit) =>
      exposureOf(join(productFolder, 'deploy', `${unit}.service`)),
    )
    const holds = exposure.every((level) => level < mostExposed)
    const figure = {
      text: `exposed ${exposure.join(', ')} of 10, less than ${mostExposed} wanted`,
      holds,
    }
    return {
      rule: 'OP4',
      test: 'units of systemd',
      points: units.join(', '),
      seed,
      tally: newTally(),
      controls: [],
      figure,
    }
  }),
]

function exposureOf(unit: string): number {
  const words = execFileSync(
    'systemd-analyze',
    ['security', '--offline=true', '--no-pager', unit],
    { encoding: 'utf8' },
  )
  const level = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(words)?.[1])
  if (Number.isNaN(level))
    throw new Error(`systemd-analyze says of ${unit} no level: ${words.slice(-200)}`)
  return level
}
