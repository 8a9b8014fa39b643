/** Days of a calendar, such as `2026-05-01`, in the time zone of the browser: some have 23 or 25 hours. */

/** The first moment of a day, in seconds since 1970. @param later counts days after it. */
export function dayStart(day: string, later = 0): number {
  const start = new Date(`${day}T00:00:00`);
  start.setDate(start.getDate() + later);
  // A day that begins at 1:00, as its clock changes at midnight, has passed that on.
  start.setHours(0, 0, 0, 0);
  return start.getTime() / 1000;
}
