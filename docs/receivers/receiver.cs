#:sdk Microsoft.NET.Sdk.Web
// A complete webhook receiver. .NET 10, no packages: WEBHOOK_SECRET=… dotnet run receiver.cs
// (.NET 8 and 9: dotnet new web, and this as its Program.cs without the first line.)
//
// It stores each message once, as INBOX/<webhook-id>.json, and answers. A worker of yours takes it from there, so that the
// answer is fast and a message is safe when this process stops. Keep the files for as long as repeats may come.
//
// Order: after a failed attempt later events overtake earlier ones. Let the worker compare Data.Version: keep the highest of
// each record and pass over older ones, or set Ordered on the webhook.
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

const int MaxBody = 8 * 1024 * 1024;
const long MaxAgeSeconds = 300;

var secret = Environment.GetEnvironmentVariable("WEBHOOK_SECRET");
if (string.IsNullOrEmpty(secret)) throw new InvalidOperationException("WEBHOOK_SECRET is required");
var inbox = Environment.GetEnvironmentVariable("INBOX") ?? "inbox";
var port = Environment.GetEnvironmentVariable("PORT") ?? "4000";
Directory.CreateDirectory(inbox);

var builder = WebApplication.CreateBuilder();
builder.WebHost.ConfigureKestrel(options => options.Limits.MaxRequestBodySize = MaxBody);
builder.WebHost.UseUrls($"http://127.0.0.1:{port}");
var app = builder.Build();
// An exception is answered with 500, and Daybook tries again.
app.MapPost("/{**path}", async (HttpRequest request) => Results.StatusCode(await Receive(request)));
app.Lifetime.ApplicationStarted.Register(() => Console.WriteLine($"listening on {app.Urls.First()}/"));
app.Run();

bool Verify(string secret, byte[] body, string signature)
{
    var expected = "sha256=" + Convert.ToHexString(HMACSHA256.HashData(Encoding.UTF8.GetBytes(secret), body)).ToLowerInvariant();
    return CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(expected), Encoding.UTF8.GetBytes(signature));
}

// Whether one of the signatures of Standard Webhooks is right, and the timestamp that it covers is recent.
bool VerifyStandard(string secret, byte[] body, string id, string timestamp, string signatures)
{
    if (!Regex.IsMatch(timestamp, @"\A[0-9]{1,12}\z")) return false;
    if (Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - long.Parse(timestamp)) > MaxAgeSeconds) return false;
    var key = secret.StartsWith("whsec_", StringComparison.Ordinal)
        ? Convert.FromBase64String(secret["whsec_".Length..])
        : Encoding.UTF8.GetBytes(secret);
    byte[] signed = [.. Encoding.UTF8.GetBytes($"{id}.{timestamp}."), .. body];
    var expected = Encoding.UTF8.GetBytes("v1," + Convert.ToBase64String(HMACSHA256.HashData(key, signed)));
    return signatures.Split(' ').Any(one => CryptographicOperations.FixedTimeEquals(expected, Encoding.UTF8.GetBytes(one)));
}

// Stores a message; one that is there already stays as it is.
async Task Store(string id, byte[] body)
{
    var path = Path.Combine(inbox, $"{id}.json");
    var scratch = Path.Combine(inbox, $"{Guid.NewGuid()}.tmp");
    try
    {
        await using (var file = new FileStream(scratch, FileMode.CreateNew))
        {
            await file.WriteAsync(body);
            file.Flush(flushToDisk: true);
        }
        File.Move(scratch, path, overwrite: false);
        Console.WriteLine($"stored {id}");
    }
    catch (IOException) when (File.Exists(path))
    {
        Console.WriteLine($"repeated {id}");
    }
    finally
    {
        File.Delete(scratch);
    }
}

// The status to answer with.
async Task<int> Receive(HttpRequest request)
{
    // The raw bytes: JSON that was parsed and printed again has another signature.
    using var buffer = new MemoryStream();
    await request.Body.CopyToAsync(buffer);
    var body = buffer.ToArray();
    var id = request.Headers["webhook-id"].ToString();
    if (!Regex.IsMatch(id, @"\A[A-Za-z0-9_-]{1,100}\z")) return 400;
    if (!Verify(secret, body, request.Headers["X-Hub-Signature-256"].ToString())) return 401;
    var timestamp = request.Headers["webhook-timestamp"].ToString();
    if (!VerifyStandard(secret, body, id, timestamp, request.Headers["webhook-signature"].ToString())) return 401;
    await Store(id, body);
    return 204;
}
