import { expect, test } from 'vitest'
import { wrongImports } from './areas.ts'
import { filesOfTheRepository } from './source-files.ts'

test('[HS22] an area calls no move of another area, and no two areas import each other', () => {
  expect(wrongImports(filesOfTheRepository())).toEqual([])
})

const record = {
  path: 'src/services/turns/turn-record.ts',
  text: `
    export async function endTurn(tx: Tx, id: string): Promise<void> {}
    export const startTurn = async (tx: Tx): Promise<void> => {}
    export const lockTurn = (tx: Tx): void => {}
    export const isOver = (reader: Reader): boolean => true
    export const stopTurn = defineUseCase('stop-turn', {})`,
}

const importing = (path: string, names: string, from = '../turns/turn-record.ts') => ({
  path,
  text: `import { ${names} } from '${from}'`,
})

test.each(['endTurn', 'startTurn', 'stopTurn'])(
  '[HS22] the control: an area that calls %s of another is refused',
  (name) => {
    const file = importing('src/services/work/tasks.ts', name)
    expect(wrongImports([record, file])).toEqual([
      `src/services/work/tasks.ts calls ${name} of src/services/turns/turn-record.ts`,
    ])
  },
)

test('[HS22] the control: areas that import each other, or a flow, are refused', () => {
  const there = importing('src/services/work/tasks.ts', 'isOver')
  const back = { ...record, text: `${record.text}\nimport { x } from '../work/tasks.ts'` }
  expect(wrongImports([back, there])).toEqual(['turns → work and back', 'work → turns and back'])
  const flow = importing('src/services/work/tasks.ts', 'x', '../flows/turns/end-turn.ts')
  expect(wrongImports([flow])).toEqual([
    'src/services/work/tasks.ts imports the flow src/services/flows/turns/end-turn.ts',
  ])
})

test('[HS22] a flow calls the moves of areas; an area reads and locks what is of another', () => {
  const path = 'src/services/flows/processes/end-process.ts'
  const flow = importing(path, 'endTurn, stopTurn', '../../turns/turn-record.ts')
  const reading = importing('src/services/work/tasks.ts', 'isOver, lockTurn')
  expect(wrongImports([record, flow, reading])).toEqual([])
})
