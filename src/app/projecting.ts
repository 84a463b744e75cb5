/** Whether projections run in this process. Consulted only if other processes share the read store. */
export class Projecting {
  private projectsHere = false;
  private listener: ((projectsHere: boolean) => void) | undefined;

  set(projectsHere: boolean): void {
    this.projectsHere = projectsHere;
    this.listener?.(projectsHere);
  }

  on(listener: (projectsHere: boolean) => void): void {
    this.listener = listener;
    listener(this.projectsHere);
  }
}
