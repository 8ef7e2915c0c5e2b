/** How lines are carried, on the other side of the wire: machines have the files. */
export { carryRanges, type LineRange, linesOf } from '../../domain/review/carry-lines.ts'
