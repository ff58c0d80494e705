<?php
// A complete webhook receiver. PHP 8.1 and later, no packages. To try it:
// WEBHOOK_SECRET=… php -S 127.0.0.1:4000 receiver.php
//
// It stores each message once, as INBOX/<webhook-id>.json, and answers. A worker of yours takes it from there, so that the
// answer is fast and a message is safe when this process stops. Keep the files for as long as repeats may come, and outside
// of what the web server shows.
//
// Order: after a failed attempt later events overtake earlier ones. Let the worker compare Data.Version: keep the highest of
// each record and pass over older ones, or set Ordered on the webhook.
const MAX_AGE_SECONDS = 300;

function verify(string $secret, string $body, string $signature): bool
{
    return hash_equals('sha256=' . hash_hmac('sha256', $body, $secret), $signature);
}

/** Whether one of the signatures of Standard Webhooks is right, and the timestamp that it covers is recent. */
function verifyStandard(string $secret, string $body, string $id, string $timestamp, string $signatures): bool
{
    if (!preg_match('/^\d{1,12}$/D', $timestamp) || abs(time() - (int) $timestamp) > MAX_AGE_SECONDS) {
        return false;
    }
    $key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, 6)) : $secret;
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    foreach (explode(' ', $signatures) as $one) {
        if (hash_equals($expected, $one)) {
            return true;
        }
    }
    return false;
}

/** Stores a message; one that is there already stays as it is. */
function store(string $inbox, string $id, string $body): void
{
    $scratch = "$inbox/" . bin2hex(random_bytes(16)) . '.tmp';
    $file = fopen($scratch, 'xb');
    $written = $file && fwrite($file, $body) === strlen($body) && fsync($file);
    $stored = $written && @link($scratch, "$inbox/$id.json");
    @unlink($scratch);
    if (!$stored && !($written && file_exists("$inbox/$id.json"))) {
        throw new RuntimeException("cannot store $id in $inbox");
    }
    error_log(($stored ? 'stored ' : 'repeated ') . $id);
}

/** The status to answer with. */
function receive(string $secret, string $inbox): int
{
    // The raw bytes: JSON that was parsed and printed again has another signature.
    $body = file_get_contents('php://input');
    $header = fn (string $name): string => $_SERVER['HTTP_' . $name] ?? '';
    $id = $header('WEBHOOK_ID');
    if (!preg_match('/^[\w-]{1,100}$/D', $id)) {
        return 400;
    }
    if (!verify($secret, $body, $header('X_HUB_SIGNATURE_256'))) {
        return 401;
    }
    if (!verifyStandard($secret, $body, $id, $header('WEBHOOK_TIMESTAMP'), $header('WEBHOOK_SIGNATURE'))) {
        return 401;
    }
    store($inbox, $id, $body);
    return 204;
}

try {
    $secret = getenv('WEBHOOK_SECRET') ?: throw new RuntimeException('WEBHOOK_SECRET is required');
    $inbox = getenv('INBOX') ?: 'inbox';
    is_dir($inbox) || mkdir($inbox, 0700, true);
    http_response_code(receive($secret, $inbox));
} catch (Throwable $error) {
    error_log((string) $error);
    http_response_code(500); // Daybook tries again.
}
