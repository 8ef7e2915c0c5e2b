/** How long what a launch wrote is kept after its end (CO4). */
export const outputKeptDays = 30
