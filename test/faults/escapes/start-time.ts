/** Measures what a sandbox adds to the start of a process: medians of one run, both modes in turn. Prints a line of JSON. */
import { makeScene, runInScene } from './scene.ts'

const rounds = 15
const scene = await makeScene()
try {
  const times = { off: [] as number[], workplace: [] as number[] }
  for (let round = 0; round <= rounds; round++)
    for (const mode of ['off', 'workplace'] as const) {
      const { ms } = await runInScene(scene, mode, 'exit 0', { isPrompted: true })
      // The first finds the machine's ability.
      if (round > 0) times[mode].push(ms)
    }
  const median = (list: number[]): number => list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0
  console.log(JSON.stringify({ off: median(times.off), workplace: median(times.workplace) }))
} finally {
  await scene.close()
}
