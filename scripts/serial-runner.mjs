// Jest runner for suites that must have the machine to themselves. Runs them in the main process while all workers are
// idle.
import TestRunner from 'jest-runner';

export default class SerialRunner extends TestRunner {
  isSerial = true;
}
