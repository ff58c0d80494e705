// A complete webhook receiver. Java 17 and later, no packages: WEBHOOK_SECRET=… java Receiver.java
//
// It stores each message once, as INBOX/<webhook-id>.json, and answers. A worker of yours takes it from there, so that the
// answer is fast and a message is safe when this process stops. Keep the files for as long as repeats may come.
//
// Order: after a failed attempt later events overtake earlier ones. Let the worker compare Data.Version: keep the highest of
// each record and pass over older ones, or set Ordered on the webhook.
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.UUID;
import java.util.concurrent.Executors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Receiver {
    static final int MAX_BODY = 8 * 1024 * 1024;
    static final long MAX_AGE_SECONDS = 300;

    static boolean verify(String secret, byte[] body, String signature) throws GeneralSecurityException {
        String expected = "sha256=" + HexFormat.of().formatHex(hmac(bytes(secret), body));
        return MessageDigest.isEqual(bytes(expected), bytes(signature));
    }

    /** Whether one of the signatures of Standard Webhooks is right, and the timestamp that it covers is recent. */
    static boolean verifyStandard(String secret, byte[] body, String id, String timestamp, String signatures)
            throws GeneralSecurityException {
        if (!timestamp.matches("[0-9]{1,12}")) return false;
        if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(timestamp)) > MAX_AGE_SECONDS) return false;
        byte[] key = secret.startsWith("whsec_") ? Base64.getDecoder().decode(secret.substring(6)) : bytes(secret);
        byte[] expected = bytes("v1," + Base64.getEncoder().encodeToString(hmac(key, bytes(id + "." + timestamp + "."), body)));
        for (String one : signatures.split(" "))
            if (MessageDigest.isEqual(expected, bytes(one))) return true;
        return false;
    }

    static byte[] hmac(byte[] key, byte[]... parts) throws GeneralSecurityException {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        for (byte[] part : parts) mac.update(part);
        return mac.doFinal();
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Stores a message; one that is there already stays as it is. */
    static void store(Path inbox, String id, byte[] body) throws IOException {
        Path scratch = inbox.resolve(UUID.randomUUID() + ".tmp");
        try {
            try (FileChannel file = FileChannel.open(scratch, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                for (ByteBuffer left = ByteBuffer.wrap(body); left.hasRemaining(); ) file.write(left);
                file.force(true);
            }
            Files.createLink(inbox.resolve(id + ".json"), scratch);
            System.out.println("stored " + id);
        } catch (FileAlreadyExistsException repeated) {
            System.out.println("repeated " + id);
        } finally {
            Files.deleteIfExists(scratch);
        }
    }

    /** The status to answer with. */
    static int receive(String secret, Path inbox, HttpExchange exchange) throws IOException, GeneralSecurityException {
        // The raw bytes: JSON that was parsed and printed again has another signature.
        byte[] body = exchange.getRequestBody().readNBytes(MAX_BODY + 1);
        if (body.length > MAX_BODY) return 413;
        String id = header(exchange, "webhook-id");
        if (!id.matches("[A-Za-z0-9_-]{1,100}")) return 400;
        if (!verify(secret, body, header(exchange, "X-Hub-Signature-256"))) return 401;
        String timestamp = header(exchange, "webhook-timestamp");
        if (!verifyStandard(secret, body, id, timestamp, header(exchange, "webhook-signature"))) return 401;
        store(inbox, id, body);
        return 204;
    }

    static String header(HttpExchange exchange, String name) {
        String value = exchange.getRequestHeaders().getFirst(name);
        return value == null ? "" : value;
    }

    public static void main(String[] arguments) throws IOException {
        String secret = System.getenv("WEBHOOK_SECRET");
        if (secret == null || secret.isEmpty()) throw new IllegalStateException("WEBHOOK_SECRET is required");
        Path inbox = Files.createDirectories(Path.of(System.getenv().getOrDefault("INBOX", "inbox")));
        int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "4000"));
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port), 0);
        server.setExecutor(Executors.newFixedThreadPool(10));
        server.createContext("/", exchange -> {
            int status = 500; // Daybook tries again.
            try {
                status = receive(secret, inbox, exchange);
            } catch (Exception error) {
                error.printStackTrace();
            }
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
        System.out.println("listening on http://127.0.0.1:" + server.getAddress().getPort() + "/");
    }
}
