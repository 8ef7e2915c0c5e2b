import { describe, expect, test } from 'vitest'
import {
  type Dependencies,
  findCycle,
  unfinishedOf,
} from '../../../src/domain/work/task-dependencies.ts'
import type { TaskStatus } from '../../../src/domain/work/task-lifecycle.ts'
import { fc, property } from '../../support/property.ts'

const graph = (edges: Record<string, string[]>): Dependencies => new Map(Object.entries(edges))

describe('a cycle of tasks', () => {
  test.each<[string, Record<string, string[]>, string, string[], string[] | undefined]>([
    ['a task that waits for itself', {}, 'a', ['a'], ['a']],
    ['two that wait for each other', { b: ['a'] }, 'a', ['b'], ['a', 'b']],
    ['three in a ring', { b: ['c'], c: ['a'] }, 'a', ['b'], ['a', 'b', 'c']],
    ['the shortest is named', { b: ['c'], c: ['a'], d: ['a'] }, 'a', ['b', 'd'], ['a', 'd']],
    ['a task that does not exist yet', { b: ['a'] }, 'a', ['x', 'b'], ['a', 'b']],
    ['none in a chain', { b: ['c'], c: [] }, 'a', ['b'], undefined],
    ['none in a diamond', { b: ['d'], c: ['d'], d: [] }, 'a', ['b', 'c'], undefined],
    ['none that leads past this task', { b: ['c'], c: ['b'] }, 'a', ['b'], undefined],
    ['none without dependencies', { b: ['a'] }, 'a', [], undefined],
    [
      'the old dependencies of the task do not count',
      { a: ['b'], b: ['a'] },
      'a',
      ['c'],
      undefined,
    ],
  ])('[TK2] %s', (_title, edges, taskId, dependsOn, cycle) => {
    expect(findCycle(graph(edges), taskId, dependsOn)).toEqual(cycle)
  })

  test('[TK2] is found among ten thousand tasks without running out of stack', () => {
    const edges = Array.from(
      { length: 10_000 },
      (_, index) => [`t${index}`, [`t${index + 1}`]] as const,
    )
    expect(findCycle(new Map(edges), 't10000', ['t0'])).toHaveLength(10_001)
  })

  const ids = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  property.prop([fc.array(fc.tuple(ids, fc.uniqueArray(ids)), { maxLength: 30 })])(
    '[TK2] with every cycle refused, tasks can always be put in an order; and what is named is one',
    (wishes) => {
      const accepted = new Map<string, readonly string[]>()
      for (const [id, dependsOn] of wishes) {
        const cycle = findCycle(accepted, id, dependsOn)
        if (!cycle) {
          accepted.set(id, dependsOn)
          continue
        }
        expect(cycle[0]).toBe(id)
        cycle.forEach((each, index) => {
          const waitsFor = each === id ? dependsOn : (accepted.get(each) ?? [])
          expect(waitsFor).toContain(cycle[(index + 1) % cycle.length])
        })
      }
      const done = new Set<string>()
      for (let round = 0; round < 5; round++)
        for (const id of ['a', 'b', 'c', 'd', 'e'])
          if ((accepted.get(id) ?? []).every((other) => done.has(other))) done.add(id)
      expect(done.size).toBe(5)
    },
  )
})

describe('what a task waits for', () => {
  const status: Record<string, TaskStatus> = {
    a: 'completed',
    b: 'failed',
    c: 'in_progress',
    d: 'blocked',
    e: 'pending',
  }

  test('[TK2] only a completed task lets others go on; a failed or unknown one holds them', () => {
    expect(unfinishedOf(['a', 'b', 'c', 'd', 'e', 'x'], (id) => status[id])).toEqual([
      'b',
      'c',
      'd',
      'e',
      'x',
    ])
  })
})
