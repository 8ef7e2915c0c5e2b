/**
 * What would use up a machine, each bounded by itself too, so that a sandbox without limits takes
 * nothing down. Run as an agent of a scene with small limits.
 */

import type { SandboxLimits } from '../../../src/protocol/processes/sandbox-limits.ts'
import { type Detail, textOf } from '../../../src/protocol/status-texts.ts'
import { makeScene, type RanInScene, runInScene } from './scene.ts'

export interface Exhaustion {
  readonly name: string
  readonly limits: Partial<SandboxLimits>
  readonly script: string
  /** The words that it ends in. */
  readonly words: RegExp
}

/** As long as what it has started would stay. */
const seconds = 40

export const exhaustions: readonly Exhaustion[] = [
  {
    name: 'a fork bomb',
    limits: { maxProcesses: 80 },
    script: `perl -e 'for (1..250) { my $p = fork; if (defined $p && !$p) { sleep ${seconds}; exit } } sleep ${seconds}'`,
    words: /limit of 80 processes and threads \(sandbox\.max_processes\)/,
  },
  {
    name: 'memory in one process',
    limits: { maxMemoryMb: 150 },
    script: `perl -e 'my @held; for (1..40) { push @held, "x" x 8_000_000; select undef, undef, undef, 0.02 } sleep ${seconds}'`,
    words: /limit of 150 MB of memory \(sandbox\.max_memory_mb\)/,
  },
  {
    name: 'a workplace that is filled',
    limits: { maxWorkplaceMb: 16, maxFileMb: 8 },
    script: `mkdir deep; i=0; while [ $i -lt 12 ]; do head -c 4000000 /dev/zero > deep/$i; i=$((i + 1)); done; sync; sleep ${seconds}`,
    words: /16 MB to its workplace \(sandbox\.max_workplace_mb\)/,
  },
]

interface Ended extends RanInScene {
  readonly said: string
}

export async function exhaust({
  limits,
  script,
}: Pick<Exhaustion, 'limits' | 'script'>): Promise<Ended> {
  const scene = await makeScene()
  const why: Detail[] = []
  try {
    const ran = await runInScene(scene, 'workplace', script, {
      limits,
      onLimit: (detail) => void why.push(detail),
    })
    return { ...ran, said: why.map(textOf).join('\n') }
  } finally {
    await scene.close()
  }
}
