// Jest runner for suites that need the machine to themselves: runs them in the main process while all workers are idle.
import TestRunner from 'jest-runner';

export default class SerialRunner extends TestRunner {
  isSerial = true;
}
