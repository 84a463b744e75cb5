import de.bwaldvogel.mongo.MongoBackend;
import de.bwaldvogel.mongo.MongoServer;
import de.bwaldvogel.mongo.MongoVersion;
import de.bwaldvogel.mongo.backend.h2.H2Backend;
import de.bwaldvogel.mongo.backend.memory.MemoryBackend;
import de.bwaldvogel.mongo.bson.Document;
import io.netty.channel.Channel;
import java.util.List;
import java.util.Set;
import org.h2.mvstore.MVStore;

/**
 * Speaks MongoDB's protocol on a port of the loopback interface. Data is stored in a file and survives restarts. As in
 * MongoDB, writes with `j: true`, and all earlier writes, also survive a kill.
 *
 * <p>java -cp 'classes:lib/*' [-DindexDelayMs=n] [-DinMemory=true] MongoServerMain port directory
 *
 * <p>With inMemory, nothing survives a restart.
 */
class MongoServerMain {
  public static void main(String[] args) {
    MongoServer server = new MongoServer(Boolean.getBoolean("inMemory") ? new InMemory() : journaled(args[1]));
    server.bind("127.0.0.1", Integer.parseInt(args[0]));
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdownNow));
  }

  private static MongoBackend journaled(String directory) {
    MVStore store = new MVStore.Builder().fileName(directory + "/data.mv").autoCommitDisabled().open();
    return new Journaled(store).version(new Version());
  }

  /** Keeps documents in memory, which requires much less CPU time than a file. */
  private static class InMemory extends MemoryBackend {
    InMemory() {
      version(new Version());
    }
  }

  /** Reports MongoDB 5.0 and its actual wire version, because new drivers reject the library's lower wire version. */
  private static class Version implements MongoVersion {
    @Override
    public List<Integer> getVersionArray() {
      return List.of(5, 0, 0);
    }

    @Override
    public int getWireVersion() {
      return 13;
    }
  }

  private static class Journaled extends H2Backend {
    /** Delay of index creation, which simulates a large collection. */
    private static final long INDEX_DELAY_MS = Long.getLong("indexDelayMs", 0);

    private static final Set<String> READS = Set.of("find", "count", "getMore", "killCursors", "aggregate");

    Journaled(MVStore store) {
      super(store);
    }

    @Override
    public Document handleCommand(Channel channel, String database, String command, Document query) {
      if (READS.contains(command)) return super.handleCommand(channel, database, command, query);
      if (command.equals("createIndexes")) sleep();
      // Executes one write at a time, so that a commit never contains part of a write.
      synchronized (this) {
        Document answer = super.handleCommand(channel, database, command, query);
        if (query.get("writeConcern") instanceof Document concern && Boolean.TRUE.equals(concern.get("j"))) commit();
        return answer;
      }
    }

    private static void sleep() {
      try {
        Thread.sleep(INDEX_DELAY_MS);
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
