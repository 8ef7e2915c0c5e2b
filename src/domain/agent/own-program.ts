/**
 * The word in an agent's entry that means this very program, wherever it is installed: so the agents that come with the product
 * can be started on every machine, and no path of one machine is in the database. Whoever starts agents resolves it. Pure.
 */
export const ownProgram = 'holdfast'
