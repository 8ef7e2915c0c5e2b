/**
 * The order of the test files: first those that start many processes. To start one costs a worker the more the larger it has
 * grown (the system copies its tables of memory), and one that has run a hundred files takes ten times as long as a new one.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const startsProcesses = /\/test\/(coordinator|repository)\/|\/worktrees/

export class FileOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isFirst = ({ moduleId }: TestSpecification): boolean => startsProcesses.test(moduleId)
    return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))]
  }
}
