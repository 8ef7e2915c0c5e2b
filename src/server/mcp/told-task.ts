/** A task as agents are told of it. */
import { Task } from '../../protocol/task.ts'
import { snakeShape } from './snake-case.ts'

export const ToldTask = snakeShape(Task)
