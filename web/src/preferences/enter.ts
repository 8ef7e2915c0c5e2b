/** Whether Enter sends or makes a new line; Ctrl+Enter does the other. */
import { browserChoice } from './choice.ts'

export const enterChoice = browserChoice<'sends' | 'breaks'>('enter', ['sends', 'breaks'], 'sends')
